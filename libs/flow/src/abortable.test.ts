import { expect, test } from '@jest/globals'
import { abortable } from './abortable.ts'

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
