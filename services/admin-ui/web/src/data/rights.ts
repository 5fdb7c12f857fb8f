import { type AdminRole, mayCall } from '@posthorn/contracts/admin/roles'

/**
 * Operation of the API whose rights permit an action of the administration pages. The server checks
 * the rights of each request in any case.
 */
const operationOf = {
  changeAccounts: 'createAccount',
  operateAccounts: 'reconnectAccount',
  operateQueues: 'holdOutboxEntry',
  cancelSubmissions: 'deleteOutboxEntry',
  readSettings: 'getSettings',
  changeSettings: 'updateSettings',
  changeTokens: 'createToken',
  readWorkers: 'listWorkers',
  readKeys: 'listKeys',
  releaseWorkers: 'releaseWorker',
  tryRoutes: 'testWebhookRoute',
} as const

/** Roles that may do an action of the administration pages for which the API has no operation. */
const rolesOf = {
  managePeople: ['owner'],
  readAudit: ['owner', 'auditor'],
} as const satisfies Record<string, readonly AdminRole[]>

/**
 * Action of the administration pages. The pages hide an action from people whose role may not do
 * the action.
 */
export type PageAction = keyof typeof operationOf | keyof typeof rolesOf

/** True if people with the role may do an action of the administration pages. */
export function mayDo(role: AdminRole, action: PageAction): boolean {
  if (action in operationOf) return mayCall(role, operationOf[action as keyof typeof operationOf])
  const roles: readonly AdminRole[] = rolesOf[action as keyof typeof rolesOf]
  return roles.includes(role)
}

/** Description of each role's rights in the forms for people and invitations. */
export const roleTexts: Readonly<Record<AdminRole, string>> = {
  owner: 'Everything, including people, keys and mail proxies',
  operator: 'Everything except people, keys and mail proxies',
  support: 'Accounts, outbox and deliveries; no settings and no tokens',
  auditor: 'Reads everything except mail, including the audit log',
}
