import { afterAll, expect, test } from '@jest/globals'
import { type AdminRole, adminRoles } from '@posthorn/contracts/admin/roles'
import type { Operation } from '@posthorn/contracts/define'
import { allOperations } from '@posthorn/contracts/operations'
import { minutesAgo, signIn } from './admin-people.ts'
import { expectedRights } from './admin-rights.ts'
import { testServers } from './gateway.ts'

const servers = await testServers()
afterAll(servers.stop)
const { url } = await servers.start({ SVC_TIMEOUT: '1s' })

interface Variant {
  role: AdminRole
  readsMail: boolean
  hasFreshFactor: boolean
  credential: string
}

/** One session for each role, with and without the right to read mail and a recent factor. */
const variants: Variant[] = []
for (const role of adminRoles)
  for (const readsMail of [false, true])
    for (const hasFreshFactor of [false, true]) {
      const session = { factorAt: minutesAgo(hasFreshFactor ? 0 : 10.1) }
      const { credential } = await signIn(servers.db, { role, readsMail, session })
      variants.push({ role, readsMail, hasFreshFactor, credential })
    }

/**
 * Reason for which the gateway refuses a request of an operation; `none` if the request passes the
 * authorization. The body has an unknown member, so that no operation is carried out.
 */
async function refusal({ method, path, body }: Operation, credential: string): Promise<string> {
  const stop = new AbortController()
  const response = await fetch(url + path.replaceAll(/:\w+/g, 'absent'), {
    method,
    signal: stop.signal,
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify({ 'unknown member': true }) }),
  })
  if (response.headers.get('content-type')?.startsWith('application/json') !== true) {
    stop.abort()
    return response.ok ? 'none' : `status ${response.status} without a body`
  }
  const { code, requiredRole } = (await response.json()) as Record<string, string>
  if (response.status === 401) return 'unauthorized'
  if (response.status !== 403) return 'none'
  if (requiredRole !== undefined) return `role ${requiredRole}`
  return code === 'MailReadingRequired' || code === 'StepUpRequired' ? code : 'none'
}

function expectedRefusal(id: string, { role, readsMail, hasFreshFactor }: Variant): string {
  const { roles = [], mail, stepUp } = expectedRights.get(id) ?? {}
  if (!roles.includes(role)) return `role ${roles.at(-1)}`
  if (mail && !readsMail) return 'MailReadingRequired'
  return stepUp && !hasFreshFactor ? 'StepUpRequired' : 'none'
}

const nameOf = ({ role, readsMail, hasFreshFactor }: Variant) =>
  `${role}${readsMail ? ' with mail' : ''}${hasFreshFactor ? ' with factor' : ''}`

test('every operation has a row in the table of rights, and every row an operation', () => {
  const ids = allOperations.map(({ id }) => id)
  expect([...expectedRights.keys()].toSorted()).toEqual(ids.toSorted())
})

test.each(allOperations.map((operation) => [operation.id, operation] as const))(
  '%s: allows and refuses each role, right to read mail and age of the factor',
  async (id, operation) => {
    const refusals = await Promise.all(
      variants.map(async (variant) => [
        nameOf(variant),
        await refusal(operation, variant.credential),
      ]),
    )
    expect(refusals).toEqual(
      variants.map((variant) => [nameOf(variant), expectedRefusal(id, variant)]),
    )
  },
)
