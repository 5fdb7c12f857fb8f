import { describe, expect, test } from '@jest/globals'
import { abortable, abortableItems } from './abortable.ts'

const noSignal = new AbortController().signal

test('abortable: without an abort, passes on the result and the error', async () => {
  await expect(abortable(Promise.resolve(1), noSignal)).resolves.toBe(1)
  await expect(abortable(Promise.reject(new Error('no')), noSignal)).rejects.toThrow('no')
})

test('abortable: when the signal aborts first, rejects with its reason', async () => {
  const abort = new AbortController()
  const waiting = abortable(new Promise(() => {}), abort.signal)
  abort.abort(new Error('stop'))
  await expect(waiting).rejects.toThrow('stop')
})

test('abortable: with an aborted signal, rejects although the promise is resolved', async () => {
  const signal = AbortSignal.abort(new Error('stop'))
  await expect(abortable(Promise.resolve(1), signal)).rejects.toThrow('stop')
})

test('abortable: a rejection after the abort is not unhandled', async () => {
  const abort = new AbortController()
  const { promise, reject } = Promise.withResolvers<void>()
  const waiting = abortable(promise, abort.signal)
  abort.abort(new Error('stop'))
  reject(new Error('too late'))
  await expect(waiting).rejects.toThrow('stop')
})

describe('abortableItems', () => {
  /**
   * Iterator for tests of abort signals: yields items 1 and 2, and waits forever for a third item.
   */
  function endless() {
    const third = Promise.withResolvers<number>()
    const closed = Promise.withResolvers<void>()
    async function* items() {
      try {
        yield 1
        yield 2
        yield await third.promise
      } finally {
        closed.resolve()
      }
    }
    return { items: items(), third, closed: closed.promise }
  }

  test('without an abort, passes on items and errors', async () => {
    const { items, third } = endless()
    third.reject(new Error('lost'))
    const seen: number[] = []
    const iterate = async () => {
      for await (const item of abortableItems(items, noSignal)) seen.push(item)
    }
    await expect(iterate()).rejects.toThrow('lost')
    expect(seen).toEqual([1, 2])
  })

  test('left early, closes the iterator', async () => {
    const { items, closed } = endless()
    for await (const _item of abortableItems(items, noSignal)) break
    await closed
  })

  test('aborted during a wait, rejects, and closes the iterator after its wait', async () => {
    const { items, third, closed } = endless()
    const stop = new AbortController()
    const iterate = async () => {
      for await (const item of abortableItems(items, stop.signal))
        if (item === 2) queueMicrotask(() => stop.abort(new Error('stop')))
    }
    await expect(iterate()).rejects.toThrow('stop')
    third.resolve(3)
    await closed
  })

  test('aborted while the iterator closes, does not wait for its end', async () => {
    const stop = new AbortController()
    async function* items() {
      try {
        yield 1
      } finally {
        await new Promise(() => {})
      }
    }
    const iterate = async () => {
      for await (const _item of abortableItems(items(), stop.signal)) {
        stop.abort(new Error('stop'))
        stop.signal.throwIfAborted()
      }
    }
    await expect(iterate()).rejects.toThrow('stop')
  })
})
