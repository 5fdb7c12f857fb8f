import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { deleteUnwantedLogs } from '../src/store/logs.ts'
import { testWorld } from './world.ts'

const world = await testWorld()
const { db } = world
afterAll(() => world.close())

const linesOf = async (account: string) => {
  const rows = await db
    .selectFrom('accountLogs')
    .select('line')
    .where('account', '=', account)
    .orderBy('id')
    .execute()
  return rows.map(({ line }) => line)
}

test('startTranscripts: stores commands and responses of accounts with logs, without passwords', async () => {
  await world.startWorker()
  const user = world.dovecot.freshUser()
  const account = await world.register(user)
  const silent = await world.register(world.dovecot.freshUser())
  await Promise.all([world.connected(account), world.connected(silent)])
  expect(await linesOf(account)).toEqual([])

  await db.updateTable('accounts').set({ logs: true }).where('account', '=', account).execute()
  await world.touch(account)
  const lines = await eventually(async () => {
    const lines = await linesOf(account)
    expect(lines.some((line) => / C: .*\bLIST\b/.test(line))).toBe(true)
    expect(lines.some((line) => / S: /.test(line))).toBe(true)
    return lines
  })
  expect(lines.join('\n')).not.toContain(user.pass)
  expect(lines.join('\n')).not.toContain(Buffer.from(user.pass).toString('base64'))
  for (const line of lines) expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z \[\d+\] (C:|S:|--) /)

  await db.updateTable('accounts').set({ logs: false }).where('account', '=', account).execute()
  await world.touch(account)
  const left = await linesOf(account)
  expect(left.filter((line) => lines.includes(line))).toEqual([])
  // Lines written at that moment are deleted by the sweep.
  await eventually(async () => {
    await deleteUnwantedLogs(db)
    expect(await linesOf(account)).toEqual([])
  })
  expect(await linesOf(silent)).toEqual([])
})
