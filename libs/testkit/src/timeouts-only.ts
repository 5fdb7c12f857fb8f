/**
 * Value of `doNotFake` of `jest.useFakeTimers` with which only `setTimeout` and `clearTimeout` are
 * fake. Timeouts then pass when the test advances the time.
 */
export const timeoutsOnly = [
  'Date',
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
] as const
