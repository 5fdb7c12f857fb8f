import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readInline } from '@posthorn/message-reader'
import { createMessageDrafter } from '../src/drivers/api/messages/message-drafter.ts'
import { FeedScene, postgresWorlds, type PostgresWorlds } from './feeds/feed-world.ts'

let postgres: PostgresWorlds
beforeAll(async () => {
  postgres = await postgresWorlds()
})
afterAll(() => postgres.drop())

async function openScene(): Promise<FeedScene> {
  const run = new FeedScene(await postgres.open(), { placement: 'labels' })
  run.drafter = createMessageDrafter({
    api: run.model.api,
    settings: { get: () => Promise.resolve({ notifyHeaders: ['X-Test'] }) },
    read: readInline,
    summaries: { startBatch: () => Promise.reject(new Error('no summary')) as never },
    signal: new AbortController().signal,
  })
  await run.sync()
  return run
}

const bounce = [
  'Message-ID: <bounce@mx.example>',
  'From: Mail Delivery System <MAILER-DAEMON@mx.example>',
  'Subject: Undelivered Mail Returned to Sender',
  'X-Test: =?utf-8?q?gr=C3=BCn?=',
  'MIME-Version: 1.0',
  'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
  '',
  '--b',
  'Content-Type: text/plain',
  '',
  'See below.',
  '--b',
  'Content-Type: message/delivery-status',
  '',
  'Reporting-MTA: dns; mx.example',
  '',
  'Final-Recipient: rfc822; you@there.example',
  'Action: failed',
  'Status: 5.1.1',
  'Diagnostic-Code: smtp; 550 5.1.1 User unknown',
  '',
  '--b',
  'Content-Type: message/rfc822',
  '',
  'Message-ID: <sent@sender.example>',
  'From: me@sender.example',
  '',
  'Hi',
  '--b--',
  '',
].join('\r\n')

test('a bounce in the inbox of a mail API: messageNew with isBounce, then messageBounce', async () => {
  const run = await openScene()
  const { id } = run.model.deliver(bounce)
  await run.sync()
  expect(await run.world.events()).toMatchObject([
    {
      event: 'messageNew',
      path: '\\All',
      data: {
        id,
        isBounce: true,
        relatedMessageId: '<sent@sender.example>',
        headers: { 'x-test': ['grün'] },
      },
    },
    {
      event: 'messageBounce',
      data: { bounceMessage: id, recipient: 'you@there.example', action: 'failed' },
    },
  ])
})

test('a bounce outside inbox and junk: not downloaded, messageNew only', async () => {
  const run = await openScene()
  run.model.deliver(bounce, { folderId: 'TRASH' })
  await run.sync()
  expect(await run.eventNames()).toEqual(['messageNew'])
  expect(run.model.api.calls.get('downloadSource')).toBeUndefined()
})
