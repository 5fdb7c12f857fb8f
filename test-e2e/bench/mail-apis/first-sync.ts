import { peakMemory, resetPeakMemory } from '../../peak-memory.ts'
import { containerOptions } from '../container-options.ts'
import type { Row } from '../report.ts'
import { residentBytes } from '../resident-bytes.ts'
import { startPart } from '../start-part.ts'
import {
  connect,
  fillGmail,
  fillGraph,
  gmailMailbox,
  graphFolders,
  mailboxSize,
  replayMs,
  requestsOf,
  type Scene,
  unitsSince,
} from './scene.ts'

/** Measures requests, quota units and time of the first sync of Gmail. The last row is the time. */
export async function benchGmailSync(scene: Scene): Promise<Row[]> {
  const { gmail } = scene.fakes
  fillGmail(scene, gmailMailbox)
  const [before, position] = [requestsOf(scene, 'gmail').length, gmail.fake.log.length]
  const { ms, growth } = await growthOf(scene, () => connect(scene, 'gmail'))
  const requests = requestsOf(scene, 'gmail').slice(before)
  const what = `Gmail${scene.limits}, first sync of ${mailboxSize} messages`
  const rows: Row[] = [
    {
      what: `${what}, units`,
      measured: unitsSince(scene, position),
      reference: 6_000,
      unit: ' units',
      referenceIs: 'limit',
    },
    {
      what: `${what}, ${requests.length} requests`,
      measured: ms / 1_000,
      reference: scene.limits === '' ? (await replayMs(scene, 'gmail', requests)) / 1_000 : 60,
      unit: ' s',
      referenceIs: scene.limits === '' ? 'bare client with the same requests' : 'limit',
    },
  ]
  return scene.limits === '' ? [...rows, ...(await memoryRows(scene, growth))] : rows
}

/** Growth of the memory of the sync-worker in bytes, with the V8 options of its container. */
async function growthOf({ world }: Scene, work: () => Promise<number>) {
  const pid = world.services.pids['sync-worker'] ?? 0
  await resetPeakMemory(pid)
  const before = await residentBytes(pid)
  const ms = await work()
  return { ms, growth: (await peakMemory(pid)) - before }
}

/**
 * Rows for the memory of a first sync and of a bare client. The first sync of a process also fills
 * the young generation of the heap, as it does for a bare client.
 */
async function memoryRows(scene: Scene, growth: number): Promise<Row[]> {
  const other = 'joe@workspace.example'
  fillGmail(scene, other)
  const account = 'joe'
  const second = await growthOf(scene, () => connect(scene, 'gmail', { account, user: other }))
  await scene.world.posthorn.deleteAccount({ account })
  const what = `Gmail, first sync of ${mailboxSize} messages, growth of the worker's memory`
  const mebibytes = { unit: ' MiB' }
  return [
    {
      what: `${what}, first account of the process`,
      measured: growth / 2 ** 20,
      reference: (await growthOfBareClient(scene)) / 2 ** 20,
      referenceIs: 'bare client that lists all ids, in Node with the same options',
      ...mebibytes,
    },
    {
      what: `${what}, second account`,
      measured: second.growth / 2 ** 20,
      reference: 32,
      referenceIs: 'limit',
      ...mebibytes,
    },
  ]
}

async function growthOfBareClient({ fakes: { gmail } }: Scene): Promise<number> {
  const { 'sync-worker': options = {} } = await containerOptions()
  const args = [gmail.origin, gmail.grant(gmailMailbox)]
  await using part = await startPart('bare-list-main.ts', args, options)
  await resetPeakMemory(part.pid)
  const before = await residentBytes(part.pid)
  // The bare client reads five lists like the sync-worker: the list of the mailbox, then the list
  // of each of the four labels.
  for (let list = 0; list < 5; list++) await part.request({ list: true })
  return (await peakMemory(part.pid)) - before
}

export async function benchGraphSync(scene: Scene): Promise<Row[]> {
  fillGraph(scene)
  const before = requestsOf(scene, 'graph').length
  const ms = await connect(scene, 'graph')
  const requests = requestsOf(scene, 'graph').slice(before)
  const what = `Microsoft Graph${scene.limits}, first sync of ${mailboxSize} messages in ${graphFolders} folders`
  return [
    {
      what,
      measured: requests.length,
      reference: 400,
      unit: ' requests',
      referenceIs: 'limit',
    },
    {
      what,
      measured: ms / 1_000,
      reference: (await replayMs(scene, 'graph', requests)) / 1_000,
      unit: ' s',
      referenceIs: 'bare client with the same requests',
    },
  ]
}
