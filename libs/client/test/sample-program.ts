import {
  type EventOf,
  Posthorn,
  PosthornError,
  verifyWebhook,
  type WebhookEvent,
} from '@posthorn/client'
import { createClient } from '@posthorn/client/create-client'
import { getStats } from '@posthorn/client/operations'

/** Result of the API client's sample program, which the test compares. */
export interface SampleResult {
  queueId: string | undefined
  subjects: (string | undefined)[]
  bytes: number
  code: string | undefined
  changes: unknown[]
  subject: string | undefined
  accounts: number
}

/** Signed webhook that the test API offers for verification. */
interface SignedWebhook {
  headers: Record<string, string>
  body: string
}

/**
 * Sample program of a user of the API client. The program runs in each runtime against the test
 * API.
 */
export async function runSample(url: string): Promise<SampleResult> {
  const posthorn = new Posthorn({ url, token: 'secret', retryForMs: 5_000 })
  const { queueId } = await posthorn.submitMessage({
    account: 'anna',
    body: { raw: new Blob(['Subject: Hello\r\n\r\nHello']) },
  })
  const subjects: (string | undefined)[] = []
  for await (const message of posthorn.listMessages.all({ account: 'anna', path: 'INBOX' }))
    subjects.push(message.subject)
  const download = await posthorn.downloadExport({ account: 'anna', exportId: 'exp1' })
  const { byteLength } = await download.arrayBuffer()
  const changes: unknown[] = []
  for await (const { key } of posthorn.changes()) if (changes.push(key) === 2) break
  const response = await fetch(`${url}/webhook`)
  const { headers, body } = (await response.json()) as SignedWebhook
  const event = await verifyWebhook({ headers, body, secret: 'service secret' })
  const stats = await getStats(createClient({ url, token: 'secret' }))
  return {
    queueId,
    subjects,
    bytes: byteLength,
    code: await codeOf(posthorn.getMessage({ account: 'anna', message: 'absent' })),
    changes,
    subject: subjectOf(event),
    accounts: stats.accounts,
  }
}

async function codeOf(call: Promise<unknown>): Promise<string | undefined> {
  try {
    await call
    return undefined
  } catch (error) {
    return error instanceof PosthornError ? error.code : String(error)
  }
}

function subjectOf(event: WebhookEvent): string | undefined {
  if (event.event !== 'messageNew') return undefined
  const data: EventOf<'messageNew'>['data'] = event.data
  return data.subject
}
