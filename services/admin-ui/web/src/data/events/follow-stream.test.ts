import { expect, test } from '@jest/globals'
import { followStream } from './follow-stream.ts'

const streamOf = (...chunks: string[]) =>
  ReadableStream.from(chunks.map((chunk) => new TextEncoder().encode(chunk)))

const message = (id: string) => `id: ${id}\nevent: message\ndata: ${id}\n\n`

test('followStream: continues after the last frame of a lost connection, until the signal aborts', async () => {
  const stop = new AbortController()
  const log: unknown[] = []
  const bodies = [
    () => streamOf(': v1\n\nid: 1\n\n', message('2') + message('3')),
    () => {
      throw new Error('503')
    },
    () =>
      streamOf(': v1\n\nid: 5\nevent: historyLost\ndata: {"lastEventId":"3"}\n\n', message('6')),
  ]
  await followStream({
    open: (lastId) => {
      log.push(['open', lastId])
      const body = bodies.shift()
      return body ? Promise.resolve(new Response(body())) : Promise.reject(new Error('end'))
    },
    onData: (data) => log.push(data),
    onState: (state) => log.push(state),
    onLost: () => log.push('deleted'),
    wait: () => {
      if (bodies.length === 0) stop.abort()
      return Promise.resolve()
    },
    signal: stop.signal,
  })
  const withoutRepeats = log.filter((entry, at) => entry !== 'live' || log[at - 1] !== 'live')
  expect(withoutRepeats).toEqual([
    'connecting',
    ['open', undefined],
    'live',
    ['2', '3'],
    'lost',
    'connecting',
    ['open', '3'],
    'lost',
    'connecting',
    ['open', '3'],
    'live',
    'deleted',
    'live',
    ['6'],
    'lost',
  ])
})
