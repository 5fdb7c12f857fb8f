import { statSync } from 'node:fs'

/**
 * Path parts of slow test files, slowest first. Started last, a slow test file would occupy one
 * worker alone.
 */
const slow = [
  'test-e2e/faults/small-worker.',
  'test-e2e/admin/pages.',
  'test-e2e/docs-site/pages.',
  'test-e2e/faults/sending.',
  'test-e2e/faults/servers.',
  'test-e2e/docs/reference-calls.',
  'test-e2e/docs/guides.',
  'test-e2e/admin/journeys.',
  'test-e2e/faults/lending-kills.',
  'services/sender/test/graph-crashes.',
  'services/sync-worker/test/api-first-reads.',
  'services/sync-worker/test/shard-transfers.',
  'services/sync-worker/test/provider-fuzz.',
  'test-e2e/faults/graph-requests.',
  'test-e2e/faults/worker-loss.',
  'services/sender/test/kills.',
  'test-e2e/stories/api-accounts.',
  'test-e2e/faults/webhooks.',
  'test-e2e/faults/outages.',
  'test-e2e/stories/oauth2-account.',
  'test-e2e/faults/graph.',
  'services/sender/test/filing.',
  'libs/bus/test/broker-loss.',
  'services/sender/test/faults.',
  'services/sender/test/gmail-crashes.',
  'test-e2e/faults/gmail.',
  'services/smtp-proxy/test/listening.',
  'services/sender/test/postgres-outages.',
  'services/sync-worker/test/restart-reads.',
  'libs/message-reader/test/hostile-messages.',
  'libs/backends/test/cyrus.',
  'test-e2e/stories/caller-tokens.',
  'services/sync-worker/test/deleted-mailboxes.',
  'test-e2e/faults/api-access.',
  'libs/contracts/src/validate.',
  'libs/links/src/track-html.',
  'libs/templates/src/renderer.',
]

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
  const index = slow.findIndex((part) => path.includes(part))
  return index < 0 ? slow.length : index
}
