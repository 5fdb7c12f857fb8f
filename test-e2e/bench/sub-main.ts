import { operations } from '@posthorn/contracts/operations'
import { benchReading } from './mail-apis/reading.ts'
import { connect, gmailMailbox, startScene } from './mail-apis/scene.ts'
import { freshMessageId, plainMessage } from '../world.ts'
import { DeliveryGate } from '@posthorn/testkit/providers'
import { print } from './report.ts'
await using scene = await startScene('none')
const mailbox = scene.fakes.gmail.addMailbox(gmailMailbox)
const raw = plainMessage({ messageId: freshMessageId() })
for (let count = 0; count < Number(process.env.N ?? 2000); count++) mailbox.deliver(raw, { labels: ['INBOX'], internalDate: Date.now() - 30 * 86400_000 })
console.log('connect', await connect(scene, 'gmail'))
const times: [string, number][] = []
const off = scene.fakes.gmail.fake.on('*', ({ headers, operation }) => {
  if (headers.host === undefined) return undefined
  times.push([operation, performance.now()])
  const gate = new DeliveryGate()
  setTimeout(() => { times.push([operation + ' open', performance.now()]); gate.open() }, 60)
  return { kind: 'hold', gate }
})
for (let i = 0; i < 12; i++) {
  times.length = 0
  const from = performance.now()
  await scene.world.client.call(operations.listMessages, { params: { account: 'gmail' }, query: { path: 'INBOX', pageSize: 20 } })
  const end = performance.now()
  console.log((end - from).toFixed(0), times.map(([o, t]) => `${o.replace('gmail.users.', '')} ${(t - from).toFixed(0)}`).join(' | '))
}
off()
for (const row of await benchReading(scene, 'gmail')) print(row)
