import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Session } from '@posthorn/contracts/admin/session'
import { type AdminWorld, adminWorld, password, type Replica, setUpOwner } from './fixture.ts'

const program = fileURLToPath(new URL('../src/admin-owner-main.ts', import.meta.url))
const adminUrl = 'https://admin.example'

let world: AdminWorld
let replica: Replica
beforeAll(async () => {
  world = await adminWorld()
  replica = await world.start()
  await setUpOwner(replica)
})
afterAll(() => world.stop())

/** Runs the job admin-owner with the database role of admin-ui. */
function run(...args: string[]) {
  const env = {
    PATH: process.env['PATH'],
    DATABASE_URL: world.env.DATABASE_URL,
    SVC_ADMIN_URL: adminUrl,
  }
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [program, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
  })
}

test('the job: prints a link that makes the person owner, and is audited', async () => {
  const email = 'rescue@example.com'
  const { code, stdout, stderr } = await run(email)
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^https:\/\/admin\.example\/admin\/set-up#token=[\w-]{43}\n$/),
  ])
  const token = stdout.split('=')[1]?.trim() ?? ''
  expect(stderr).not.toContain(token)
  const use = { token, email, name: 'Rescue', password }
  const { status, body } = await replica.browser().post<Session>('/admin/session/set-up', use)
  expect([status, body]).toMatchObject([200, { person: { email, role: 'owner' } }])
  const rows = world.db.selectFrom('adminAudit').selectAll().where('email', '=', email)
  const created = await rows.where('operation', '=', 'createOwnerLink').orderBy('phase').execute()
  expect(created).toMatchObject([{ phase: 'attempt' }, { phase: 'outcome', outcome: 'done' }])
  expect(JSON.stringify(created)).not.toContain(token)
})

test.each([[[]], [['no-address']], [['a@example.com', 'b@example.com']]])(
  'the job with arguments %j: explains its use',
  async (args) => {
    const { code, stdout, stderr } = await run(...args)
    expect([code, stdout]).toEqual([64, ''])
    expect(stderr).toContain('posthorn admin-owner <email>')
  },
)
