import { expect, test } from '@jest/globals'
import { transition } from './delivery-state.ts'

test('transition: a successful delivery', () => {
  expect(transition('due', 'claim')).toBe('claimed')
  expect(transition('claimed', 'begin')).toBe('attempting')
  expect(transition('attempting', 'accept')).toBe('delivered')
})

test('transition: a failed or interrupted attempt is due again', () => {
  for (const trigger of ['retry', 'cancel', 'excuse', 'expire'] as const)
    expect(transition('attempting', trigger)).toBe('due')
  for (const trigger of ['release', 'expire'] as const)
    expect(transition('claimed', trigger)).toBe('due')
})

test('transition: triggers that end a delivery', () => {
  expect(transition('attempting', 'fail')).toBe('failed')
  expect(transition('claimed', 'exhaust')).toBe('failed')
  expect(transition('claimed', 'drop')).toBe('dropped')
})
