import { expect, test } from '@jest/globals'
import { toFailedSend, withUnknownOutcome } from '../transports/transport.ts'
import { decideAccepted, decideFailure, retryDelayMs } from './decide-outcome.ts'

const context = {
  queueId: 'q1',
  account: 'a',
  messageId: '<m@example.com>',
  envelope: { from: 'a@example.com', to: ['b@example.com', 'c@example.com'] },
  attempt: 1,
  maxAttempts: 3,
  firstError: null,
}
const later = new Date('2026-03-01T10:00:00Z')
const rejection = (responseCode: number) => ({
  message: `Recipient command failed: ${responseCode} no`,
  code: 'EENVELOPE',
  responseCode,
  response: `${responseCode} no`,
  command: 'RCPT TO',
})

test('decideFailure: temporary failure, retries and reports the next attempt', () => {
  const { outcome, events } = decideFailure(context, toFailedSend(rejection(450)), 1_000)
  expect(outcome).toMatchObject({ trigger: 'retry', delayMs: expect.any(Number) })
  expect(events(later)).toEqual([
    expect.objectContaining({
      event: 'messageDeliveryError',
      data: {
        queueId: 'q1',
        envelope: context.envelope,
        messageId: '<m@example.com>',
        error: 'Recipient command failed: 450 no',
        errorCode: 'EENVELOPE',
        smtpResponse: '450 no',
        smtpResponseCode: 450,
        smtpCommand: 'RCPT TO',
        job: { id: 'q1', attemptsMade: 1, attempts: 3, nextAttempt: later.toISOString() },
      },
    }),
  ])
})

test('decideFailure: last attempt or permanent failure, rejects with both events', () => {
  for (const [attempt, code] of [
    [3, 450],
    [1, 550],
  ] as const) {
    const { outcome, events } = decideFailure(
      { ...context, attempt, firstError: 'first words\nmore' },
      toFailedSend(rejection(code)),
      1_000,
    )
    expect(outcome.trigger).toBe('reject')
    expect(events(undefined).map(({ event, data }) => [event, data])).toEqual([
      [
        'messageDeliveryError',
        expect.objectContaining({
          job: { id: 'q1', attemptsMade: attempt, attempts: 3, nextAttempt: false },
        }),
      ],
      ['messageFailed', { messageId: '<m@example.com>', queueId: 'q1', error: 'first words' }],
    ])
  }
})

test('decideAccepted: all recipients accepted, ends with messageSent', () => {
  const result = { response: '250 ok', accepted: context.envelope.to, rejected: [] }
  const { outcome, events } = decideAccepted(context, result, 1_000)
  expect(outcome).toEqual({ trigger: 'accept', response: '250 ok' })
  expect(events(undefined)).toEqual([
    expect.objectContaining({
      event: 'messageSent',
      data: {
        messageId: '<m@example.com>',
        response: '250 ok',
        queueId: 'q1',
        envelope: context.envelope,
      },
    }),
  ])
})

test('decideAccepted: Message-ID assigned by the server, reports both Message-IDs', () => {
  const result = {
    response: '250 ok',
    serverMessageId: '<theirs@example.net>',
    accepted: context.envelope.to,
    rejected: [],
  }
  expect(decideAccepted(context, result, 1_000).events(undefined)[0]?.data).toMatchObject({
    messageId: '<theirs@example.net>',
    originalMessageId: '<m@example.com>',
  })
})

test('decideAccepted, decideFailure: network routing, is stored and reported', () => {
  const routing = { localAddress: '192.0.2.1', name: 'mail.example.com' }
  const result = { response: '250 ok', accepted: context.envelope.to, rejected: [], routing }
  const sent = decideAccepted(context, result, 1_000)
  expect(sent.outcome).toMatchObject({ trigger: 'accept', routing })
  const failed = decideFailure(context, { ...toFailedSend(rejection(550)), routing }, 1_000)
  expect(failed.outcome).toMatchObject({ trigger: 'reject', routing })
  for (const { data } of [...sent.events(undefined), ...failed.events(undefined)])
    expect(data).toMatchObject({ networkRouting: routing })
})

test('decideAccepted: recipient with a temporary rejection, retries it alone', () => {
  const result = {
    response: '250 ok',
    accepted: ['b@example.com'],
    rejected: [{ recipient: 'c@example.com', failure: rejection(451) }],
  }
  const { outcome, events } = decideAccepted(context, result, 1_000)
  expect(outcome).toMatchObject({ trigger: 'acceptPart', remaining: ['c@example.com'] })
  expect(events(later).map(({ event, data }) => [event, data])).toEqual([
    [
      'messageSent',
      expect.objectContaining({ envelope: { from: 'a@example.com', to: ['b@example.com'] } }),
    ],
    [
      'messageDeliveryError',
      expect.objectContaining({
        envelope: { from: 'a@example.com', to: ['c@example.com'] },
        smtpResponseCode: 451,
      }),
    ],
  ])
})

test('decideAccepted: too many recipients, continues with the others without an attempt', () => {
  const tooMany = rejection(452)
  const result = {
    response: '250 ok',
    accepted: ['b@example.com'],
    rejected: [
      { recipient: 'c@example.com', failure: rejection(550) },
      { recipient: 'd@example.com', failure: tooMany },
      { recipient: 'e@example.com', failure: tooMany },
    ],
  }
  const envelope = (...to: string[]) => ({ from: 'a@example.com', to })
  const all = envelope('b@example.com', 'c@example.com', 'd@example.com', 'e@example.com')
  const last = { ...context, attempt: context.maxAttempts, envelope: all }
  const { outcome, events } = decideAccepted(last, result, 1_000)
  const remaining = ['d@example.com', 'e@example.com']
  expect(outcome).toEqual({ trigger: 'continue', response: '250 ok', remaining })
  expect(events(later)).toMatchObject([
    { event: 'messageSent', data: { envelope: envelope('b@example.com') } },
    { event: 'messageDeliveryError', data: { envelope: envelope('c@example.com') } },
  ])
  const next = { ...last, envelope: envelope(...remaining) }
  const ids = [last, next].flatMap((each) =>
    decideAccepted(each, result, 1_000)
      .events(later)
      .map(({ eventId }) => eventId),
  )
  expect(new Set(ids).size).toBe(4)
})

test.each([
  ['452 too many', 'continue'],
  ['452 4.5.3 Error', 'continue'],
  ['452-4.5.3 Error', 'continue'],
  ['452 4.7.0 Too many recipients', 'continue'],
  ['452 4.2.2 mailbox full', 'acceptPart'],
  ['450 4.5.3 Error', 'acceptPart'],
])('decideAccepted: %s to one of two recipients, returns trigger %s', (response, trigger) => {
  const failure = { ...rejection(Number(response.slice(0, 3))), response }
  const rejected = [{ recipient: 'c@example.com', failure }]
  const result = { response: '250 ok', accepted: ['b@example.com'], rejected }
  expect(decideAccepted(context, result, 1_000).outcome.trigger).toBe(trigger)
  const none = { ...result, accepted: [] }
  expect(decideAccepted(context, none, 1_000).outcome.trigger).toBe('acceptPart')
})

test('decideAccepted: recipient with a permanent rejection, ends with both events', () => {
  const result = {
    response: '250 ok',
    accepted: ['b@example.com'],
    rejected: [{ recipient: 'c@example.com', failure: rejection(550) }],
  }
  const { outcome, events } = decideAccepted(context, result, 1_000)
  expect(outcome.trigger).toBe('accept')
  expect(events(undefined).map(({ event }) => event)).toEqual([
    'messageSent',
    'messageDeliveryError',
  ])
})

test.each([
  ['451', 1, 'retry'],
  ['451', 3, 'reject'],
  ['550', 1, 'reject'],
])(
  'decideFailure: unknown outcome after %s in attempt %i, returns trigger %s and keeps the intent',
  (...args) => {
    const [code, attempt, trigger] = args
    const failed = withUnknownOutcome(toFailedSend(rejection(Number(code))))
    const { outcome } = decideFailure({ ...context, attempt }, failed, 1_000)
    expect(outcome).toMatchObject({ trigger, outcomeUnknown: true })
  },
)

test('decideAccepted: untried recipients, continues with them and reports the others as sent', () => {
  const result = { response: 'found', accepted: ['b@example.com'], rejected: [] }
  const { outcome, events } = decideAccepted(
    context,
    { ...result, untried: ['c@example.com'] },
    1_000,
  )
  expect(outcome).toEqual({ trigger: 'continue', response: 'found', remaining: ['c@example.com'] })
  expect(events(undefined)).toMatchObject([
    { event: 'messageSent', data: { envelope: { to: ['b@example.com'] } } },
  ])
})

test('decideFailure: event ids are equal for one attempt and differ between attempts', () => {
  const ids = (attempt: number) =>
    decideFailure({ ...context, attempt }, toFailedSend(rejection(450)), 1_000)
      .events(later)
      .map(({ eventId }) => eventId)
  expect(ids(1)).toEqual(ids(1))
  expect(ids(1)).not.toEqual(ids(2))
})

test('retryDelayMs: without jitter, doubles from 5 s', () => {
  const delays = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(
    (attempt) => retryDelayMs(attempt, 5_000, () => 0) / 1_000,
  )
  expect(delays).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280])
})

test('retryDelayMs: jitter, shortens by at most a fifth', () => {
  expect(retryDelayMs(1, 5_000, () => 1)).toBe(4_000)
  for (let n = 0; n < 100; n++) {
    expect(retryDelayMs(3, 5_000)).toBeGreaterThanOrEqual(16_000)
    expect(retryDelayMs(3, 5_000)).toBeLessThanOrEqual(20_000)
  }
})

test('retryDelayMs: many attempts, stops growing after the 21st', () => {
  expect(retryDelayMs(100, 5_000, () => 0)).toBe(retryDelayMs(21, 5_000, () => 0))
})
