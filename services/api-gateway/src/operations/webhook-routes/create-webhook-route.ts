import { randomBytes } from 'node:crypto'
import type { Bus } from '@posthorn/bus'
import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import type { Sandbox } from '@posthorn/sandbox'
import type { Sealer } from '@posthorn/secrets'
import type { BackgroundTasks } from '../../background-tasks.ts'
import { insertRoute } from '../../store/webhook-routes.ts'
import { handle } from '../../http/route.ts'
import { checkFunctions, columnsOf, sealColumns } from './plan-route.ts'

export interface Deps {
  db: Db
  bus: Bus
  sandbox: Sandbox
  sealer: Sealer
  tasks: BackgroundTasks
}

/** Stores a route. Every event that is recorded from then on is held against it. */
export function onCreateWebhookRoute({ db, bus, sandbox, sealer, tasks }: Deps) {
  return handle(operations.createWebhookRoute, async ({ body }) => {
    const { name, targetUrl } = body
    const columns = columnsOf(body)
    await checkFunctions(sandbox, body.content)
    const id = newRouteId()
    const sealed = await sealColumns(columns, { id, sealer })
    await insertRoute(db, { customHeaders: '[]', targetUrl, ...sealed, id, name })
    tasks.run(bus.invalidate({ topic: 'routes', id }))
    return { id, created: true }
  })
}

/** Ids of 16 characters that sort by their time: eight bytes of it, four of chance. */
function newRouteId(): string {
  const id = randomBytes(12)
  id.writeBigUInt64BE(BigInt(Date.now()))
  return id.toString('base64url')
}
