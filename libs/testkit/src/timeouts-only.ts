/**
 * Value of `doNotFake` of `jest.useFakeTimers`: fakes `setTimeout` and `clearTimeout` only, so that
 * timeouts pass when the test advances the time.
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
