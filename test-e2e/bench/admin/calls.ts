import { percentile, type Row } from '../report.ts'
import { firstAccount } from './lists.ts'
import type { AdminStage } from './people.ts'
import { timeInTurns } from './time-in-turns.ts'

const rounds = 500

/** Measures calls that admin-ui forwards, beside the same calls directly at api-gateway. */
export async function benchForwardedCalls({ world, owner }: AdminStage): Promise<Row[]> {
  const path = `/v1/account/${firstAccount}`
  const authorization = `Bearer ${world.token}`
  const direct = async (method: string, body?: object) => {
    const response = await fetch(world.url + path, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  }
  const forwarded = (method: string, body?: object) =>
    owner.call(method, `/admin/call${path}`, body)
  const change = { name: 'Person 0' }
  const times = await timeInTurns(
    {
      read: () => forwarded('GET'),
      directRead: () => direct('GET'),
      change: () => forwarded('PUT', change),
      directChange: () => direct('PUT', change),
    },
    rounds,
  )
  const row = (what: string, measured: readonly number[], reference: readonly number[]): Row => ({
    what: `call forwarded by admin-ui, ${what}, median`,
    measured: percentile(measured, 50),
    reference: percentile(reference, 50),
    unit: ' ms',
    referenceIs: 'the same call directly at api-gateway',
  })
  return [
    row('getAccount, goal + 3 ms', times.read, times.directRead),
    row('updateAccount with two rows of the audit log', times.change, times.directChange),
  ]
}
