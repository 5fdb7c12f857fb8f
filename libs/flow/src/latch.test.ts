import { expect, test } from '@jest/globals'
import { Latch } from './latch.ts'

const noSignal = new AbortController().signal

test('Latch: releases waiting callers when it opens', async () => {
  const latch = new Latch()
  const waiting = latch.whenOpen(noSignal)
  expect(latch.isOpen).toBe(false)
  latch.set(true)
  await waiting
  await latch.whenOpen(noSignal)
  expect(latch.isOpen).toBe(true)
})

test('Latch: opened and closed in one turn, keeps callers waiting', async () => {
  const latch = new Latch()
  let released = false
  const waiting = latch.whenOpen(noSignal).then(() => (released = true))
  latch.open()
  latch.close()
  await new Promise(setImmediate)
  expect(released).toBe(false)
  latch.open()
  await waiting
})

test('Latch: on abort, rejects with the reason', async () => {
  const abort = new AbortController()
  const waiting = new Latch().whenOpen(abort.signal)
  abort.abort(new Error('stop'))
  await expect(waiting).rejects.toThrow('stop')
})
