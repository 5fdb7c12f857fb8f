import { expect, test } from '@jest/globals'
import { decideAccepted, decideFailure } from './decide-outcome.ts'

const subject = {
  queueId: 'q1',
  account: 'a',
  messageId: '<m@example.com>',
  envelope: { from: 'a@example.com', to: ['b@example.com', 'c@example.com'] },
  attempt: 1,
  maxAttempts: 3,
  firstError: null,
}
const later = new Date('2026-03-01T10:00:00Z')
const refusal = (responseCode: number) => ({
  message: `Recipient command failed: ${responseCode} no`,
  code: 'EENVELOPE',
  responseCode,
  response: `${responseCode} no`,
  command: 'RCPT TO',
})

test('a temporary failure is tried again and told', () => {
  const { outcome, events } = decideFailure(subject, { failure: refusal(450) }, 1_000)
  expect(outcome).toMatchObject({ state: 'retry', delayMs: expect.any(Number) })
  expect(events(later)).toEqual([
    expect.objectContaining({
      event: 'messageDeliveryError',
      data: {
        queueId: 'q1',
        envelope: subject.envelope,
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

test('the last attempt, and a refusal for good, end it with both events', () => {
  for (const [attempt, code] of [
    [3, 450],
    [1, 550],
  ] as const) {
    const { outcome, events } = decideFailure(
      { ...subject, attempt, firstError: 'first words\nmore' },
      { failure: refusal(code) },
      1_000,
    )
    expect(outcome.state).toBe('failed')
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

test('acceptance by all is the end', () => {
  const accepted = { response: '250 ok', accepted: subject.envelope.to, rejected: [] }
  const { outcome, events } = decideAccepted(subject, accepted, 1_000)
  expect(outcome).toEqual({ state: 'sent', response: '250 ok' })
  expect(events(undefined)).toEqual([
    expect.objectContaining({
      event: 'messageSent',
      data: {
        messageId: '<m@example.com>',
        response: '250 ok',
        queueId: 'q1',
        envelope: subject.envelope,
      },
    }),
  ])
})

test('a Message-ID that the server put in its place is told beside ours', () => {
  const accepted = {
    response: '250 ok',
    serverMessageId: '<theirs@example.net>',
    accepted: subject.envelope.to,
    rejected: [],
  }
  expect(decideAccepted(subject, accepted, 1_000).events(undefined)[0]?.data).toMatchObject({
    messageId: '<theirs@example.net>',
    originalMessageId: '<m@example.com>',
  })
})

test('the way it went is told where it is not the ordinary one', () => {
  const routing = { localAddress: '192.0.2.1', name: 'mail.example.com' }
  const accepted = { response: '250 ok', accepted: subject.envelope.to, rejected: [], routing }
  const sent = decideAccepted(subject, accepted, 1_000)
  expect(sent.outcome).toMatchObject({ state: 'sent', routing })
  const failed = decideFailure(subject, { failure: refusal(550), routing }, 1_000)
  expect(failed.outcome).toMatchObject({ state: 'failed', routing })
  for (const { data } of [...sent.events(undefined), ...failed.events(undefined)])
    expect(data).toMatchObject({ networkRouting: routing })
})

test('a recipient refused for now is tried again alone', () => {
  const accepted = {
    response: '250 ok',
    accepted: ['b@example.com'],
    rejected: [{ recipient: 'c@example.com', failure: refusal(451) }],
  }
  const { outcome, events } = decideAccepted(subject, accepted, 1_000)
  expect(outcome).toMatchObject({ state: 'partly', remaining: ['c@example.com'] })
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

test('recipients beyond those a server takes at once are next, which is no failure', () => {
  const tooMany = refusal(452)
  const accepted = {
    response: '250 ok',
    accepted: ['b@example.com'],
    rejected: [
      { recipient: 'c@example.com', failure: refusal(550) },
      { recipient: 'd@example.com', failure: tooMany },
      { recipient: 'e@example.com', failure: tooMany },
    ],
  }
  const envelope = (...to: string[]) => ({ from: 'a@example.com', to })
  const all = envelope('b@example.com', 'c@example.com', 'd@example.com', 'e@example.com')
  const last = { ...subject, attempt: subject.maxAttempts, envelope: all }
  const { outcome, events } = decideAccepted(last, accepted, 1_000)
  const remaining = ['d@example.com', 'e@example.com']
  expect(outcome).toEqual({ state: 'rest', response: '250 ok', remaining })
  expect(events(later)).toMatchObject([
    { event: 'messageSent', data: { envelope: envelope('b@example.com') } },
    { event: 'messageDeliveryError', data: { envelope: envelope('c@example.com') } },
  ])
  const next = { ...last, envelope: envelope(...remaining) }
  const ids = [last, next].flatMap((each) =>
    decideAccepted(each, accepted, 1_000)
      .events(later)
      .map(({ eventId }) => eventId),
  )
  expect(new Set(ids).size).toBe(4)
})

test.each([
  ['452 too many', 'rest'],
  ['452 4.5.3 Error', 'rest'],
  ['452-4.5.3 Error', 'rest'],
  ['452 4.7.0 Too many recipients', 'rest'],
  ['452 4.2.2 mailbox full', 'partly'],
  ['450 4.5.3 Error', 'partly'],
])('%s to a recipient, when others were taken', (response, state) => {
  const failure = { ...refusal(Number(response.slice(0, 3))), response }
  const rejected = [{ recipient: 'c@example.com', failure }]
  const accepted = { response: '250 ok', accepted: ['b@example.com'], rejected }
  expect(decideAccepted(subject, accepted, 1_000).outcome.state).toBe(state)
  const none = { ...accepted, accepted: [] }
  expect(decideAccepted(subject, none, 1_000).outcome.state).toBe('partly')
})

test('a recipient refused for good is told, and the message is sent', () => {
  const accepted = {
    response: '250 ok',
    accepted: ['b@example.com'],
    rejected: [{ recipient: 'c@example.com', failure: refusal(550) }],
  }
  const { outcome, events } = decideAccepted(subject, accepted, 1_000)
  expect(outcome.state).toBe('sent')
  expect(events(undefined).map(({ event }) => event)).toEqual([
    'messageSent',
    'messageDeliveryError',
  ])
})

test('one happening has one event id, two have two', () => {
  const ids = (attempt: number) =>
    decideFailure({ ...subject, attempt }, { failure: refusal(450) }, 1_000)
      .events(later)
      .map(({ eventId }) => eventId)
  expect(ids(1)).toEqual(ids(1))
  expect(ids(1)).not.toEqual(ids(2))
})
