import type { Posthorn } from '@posthorn/client'
import { CommandError, UsageError } from '../../exit-codes.ts'
import { readDocument } from '../../io/read-document.ts'
import type { RunCommand } from '../../program/command.ts'
import { listRoutes } from './find-route.ts'
import { planRoutes, readRoutes, type RouteChange, type StoredRoute } from './plan-routes.ts'

/**
 * Command `routes apply`: changes the webhook routes of the server to the routes in a file, after a
 * confirmation.
 */
export const applyRoutes: RunCommand = async (context, [file = ''], options) => {
  const { posthorn, output, progress, prompt, signal } = context
  const wanted = readRoutes(await readDocument(file, context), file)
  const client = await posthorn()
  const stored: StoredRoute[] = []
  for await (const { id } of listRoutes(client, signal))
    stored.push(await client.getWebhookRoute({ webhookRoute: id }, { signal }))
  const changes = planRoutes(wanted, stored)
  const isDryRun = options['dryRun'] === true
  if (output.isJson) for (const change of changes) await output.result(withoutBody(change), '')
  else await output.lines(changes.length === 0 ? ['no differences'] : changes.map(describe))
  if (changes.length === 0 || isDryRun) return
  if (options['yes'] !== true && !(await prompt.confirm(`Make ${changes.length} changes?`)))
    throw new UsageError('not confirmed: nothing changed')
  for (const [index, change] of changes.entries()) {
    await applyChange(client, change, signal).catch((error: unknown) => {
      progress.note(
        `${describe(change)} failed after ${index} of ${changes.length} changes: run the command again after a correction`,
      )
      throw error
    })
  }
  progress.note(`made ${changes.length} changes`)
}

async function applyChange(
  client: Posthorn,
  { action, id = '', body, name }: RouteChange,
  signal: AbortSignal,
): Promise<void> {
  if (action === 'delete') await client.deleteWebhookRoute({ webhookRoute: id }, { signal })
  else if (!body) throw new CommandError(`the route ${name} has no members`)
  else if (action === 'create') await client.createWebhookRoute({ body }, { signal })
  else await client.updateWebhookRoute({ webhookRoute: id, body }, { signal })
}

function describe({ action, name, members }: RouteChange): string {
  return `${action}  ${name}${action === 'update' ? `  (${members.join(', ')})` : ''}`
}

function withoutBody({ body: _body, ...change }: RouteChange) {
  return change
}
