import { randomUUID } from 'node:crypto'
import { operations } from '@posthorn/contracts'
import { type Db, readSettings } from '@posthorn/db'
import type { Sandbox } from '@posthorn/sandbox'
import { handle } from '../../http/route.ts'
import { checkFunctions, sourceOf } from './plan-route.ts'

/** Says what functions would make of a payload. Calls nobody. */
export function onTestWebhookRoute({ db, sandbox }: { db: Db; sandbox: Sandbox }) {
  return handle(operations.testWebhookRoute, async ({ body: { content, payload } }) => {
    await checkFunctions(sandbox, content)
    const { eventId = randomUUID(), _route = { id: 'test' }, ...delivered } = payload
    const functions = { filter: sourceOf(content.fn), map: sourceOf(content.map) }
    const { scriptEnv: env = '{}' } = await readSettings(db)
    const input = { payload: JSON.stringify({ ...delivered, eventId, _route }), env }
    const { applies, body, problems, logs, usedMs } = await sandbox.apply(functions, input)
    const made: unknown = body === undefined ? delivered : JSON.parse(body)
    return {
      applies,
      ...(applies ? { payload: made } : {}),
      errors: problems.map(({ function: name, reason }) => ({ function: name, message: reason })),
      logs,
      usedMs,
    }
  })
}
