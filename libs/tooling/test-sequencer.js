import { statSync } from 'node:fs'

/** Path parts of slow files, slowest first. Started last, they would occupy one worker alone. */
const slow = [
  'test-e2e/faults/sending.',
  'test-e2e/faults/worker-loss.',
  'test-e2e/faults/webhooks.',
  'test-e2e/faults/kills.',
  'test-e2e/faults/servers.',
  'services/sender/test/faults.',
  'services/sync-worker/test/gmail.',
  'libs/bus/test/broker-loss.',
  'services/webhook-dispatcher/test/faults.',
  'libs/backends/test/imap-script.',
  'libs/sandbox/test/hostile.',
  'libs/testkit/test/rabbitmq-server.',
  'libs/contracts/src/validate.',
  'libs/links/src/track-html.',
  'libs/templates/src/renderer.',
]

/**
 * Path part of a file that starts fourteen services and their clients, and in which no request may
 * fail: it runs when the other files have ended.
 */
const alone = 'test-e2e/faults/rolling.'

/** Jest test sequencer: slow files first, then larger files before smaller ones. */
export default class TestSequencer {
  sort(tests) {
    const keys = new Map(tests.map(({ path }) => [path, [rankOf(path), -statSync(path).size]]))
    return tests.toSorted((a, b) => {
      const [rankA, sizeA] = keys.get(a.path)
      const [rankB, sizeB] = keys.get(b.path)
      return rankA - rankB || sizeA - sizeB
    })
  }

  shard(tests) {
    return tests
  }

  allFailedTests(tests) {
    return tests
  }

  cacheResults() {}
}

function rankOf(path) {
  if (path.includes(alone)) return slow.length + 1
  const index = slow.findIndex((part) => path.includes(part))
  return index < 0 ? slow.length : index
}
