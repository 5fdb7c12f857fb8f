import type { Operation } from '../define.ts'
import * as accountTransfers from './account-transfers.ts'
import * as accounts from './accounts.ts'
import * as authentication from './authentication.ts'
import * as autoconfig from './autoconfig.ts'
import * as blocklists from './blocklists.ts'
import * as changes from './changes.ts'
import * as events from './events.ts'
import * as exports_ from './exports.ts'
import * as gateways from './gateways.ts'
import * as installation from './installation.ts'
import * as jobs from './jobs.ts'
import * as license from './license.ts'
import * as linkKeys from './link-keys.ts'
import * as logs from './logs.ts'
import * as mailboxes from './mailboxes.ts'
import * as messageChanges from './message-changes.ts'
import * as messages from './messages.ts'
import * as oauth2 from './oauth2.ts'
import * as outbox from './outbox.ts'
import * as queues from './queues.ts'
import * as settings from './settings.ts'
import * as stats from './stats.ts'
import * as submissions from './submissions.ts'
import * as templates from './templates.ts'
import * as tokenImports from './token-imports.ts'
import * as tokens from './tokens.ts'
import * as uploads from './uploads.ts'
import * as upkeep from './maintenance.ts'
import * as verify from './verify.ts'
import * as webhookDeliveries from './webhook-deliveries.ts'
import * as webhookRoutes from './webhook-routes.ts'
import * as webhookTargets from './webhook-targets.ts'

/** Operations of the REST API, by id. */
export const operations = {
  ...accountTransfers,
  ...accounts,
  ...authentication,
  ...autoconfig,
  ...blocklists,
  ...changes,
  ...events,
  ...exports_,
  ...gateways,
  ...installation,
  ...jobs,
  ...license,
  ...linkKeys,
  ...logs,
  ...mailboxes,
  ...messageChanges,
  ...messages,
  ...oauth2,
  ...outbox,
  ...queues,
  ...settings,
  ...stats,
  ...submissions,
  ...templates,
  ...tokenImports,
  ...tokens,
  ...uploads,
  ...upkeep,
  ...verify,
  ...webhookDeliveries,
  ...webhookRoutes,
  ...webhookTargets,
}
export type OperationId = keyof typeof operations
export const allOperations: readonly Operation[] = Object.values(operations)
