import { benchGmailSync, benchGraphSync } from './mail-apis/first-sync.ts'
import {
  benchCatchUp,
  benchFullSweep,
  benchIdleAccounts,
  benchUnits,
} from './mail-apis/following.ts'
import { benchNotified } from './mail-apis/notified.ts'
import { benchReading } from './mail-apis/reading.ts'
import { benchRequestCounts } from './mail-apis/request-counts.ts'
import { startScene } from './mail-apis/scene.ts'
import { benchLargeMessage, benchSending } from './mail-apis/sending.ts'
import type { Row } from './report.ts'

const providers = ['gmail', 'graph'] as const

/**
 * Measures accounts of Gmail and Microsoft Graph, first at fakes without limits and delays, then
 * with the published limits: requests, quota units and times of the first sync, of idle accounts,
 * of reading, of sending, and from a notification to the webhook, and quota units of single
 * changes.
 */
export async function* benchMailApis(): AsyncGenerator<Row> {
  yield* benchUnlimited()
  yield* benchLimited()
}

async function* benchUnlimited(): AsyncGenerator<Row> {
  await using scene = await startScene('none')
  yield* await benchGmailSync(scene)
  yield* await benchGraphSync(scene)
  yield* await benchFullSweep(scene)
  yield* await benchUnits(scene)
  for (const provider of providers) {
    yield* await benchCatchUp(scene, provider)
    yield* await benchReading(scene, provider)
  }
  yield* await benchIdleAccounts(scene)
  for (const provider of providers) yield* await benchSending(scene, provider, 50)
  yield* await benchLargeMessage(scene)
}

async function* benchLimited(): AsyncGenerator<Row> {
  await using scene = await startScene('real')
  yield* await benchGmailSync(scene)
  yield* await benchGraphSync(scene)
  // Notifications are measured here, because polls are as rare as by default in this scene. Sending
  // comes later, because Graph reports the many moves of sent messages as lost changes.
  yield* await benchNotified(scene)
  yield* await benchRequestCounts(scene)
  yield* await benchFullSweep(scene)
  yield* await benchUnits(scene)
  for (const provider of providers) {
    yield* await benchReading(scene, provider)
    yield* await benchCatchUp(scene, provider)
    // Gmail permits 46 messages of a mailbox in the first minute, so fewer are sent.
    yield* await benchSending(scene, provider, 40)
  }
}
