import { type AdminRole, mayCall } from '@posthorn/contracts/admin/roles'

/** Operation by which each action of the pages is permitted. The server decides in any case. */
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
} as const

/** Roles of actions that are no operations of the API. */
const rolesOf = {
  managePeople: ['owner'],
  readAudit: ['owner', 'auditor'],
} as const satisfies Record<string, readonly AdminRole[]>

/** Action that some roles may not do. The pages hide the action from them. */
export type PageAction = keyof typeof operationOf | keyof typeof rolesOf

/** True if a role may do an action of the pages. */
export function mayDo(role: AdminRole, action: PageAction): boolean {
  if (action in operationOf) return mayCall(role, operationOf[action as keyof typeof operationOf])
  const roles: readonly AdminRole[] = rolesOf[action as keyof typeof rolesOf]
  return roles.includes(role)
}

/** Rights of each role, as the forms show the role. */
export const roleTexts: Readonly<Record<AdminRole, string>> = {
  owner: 'Everything, including people, keys and mail proxies',
  operator: 'Everything except people, keys and mail proxies',
  support: 'Accounts, outbox and deliveries; no settings and no tokens',
  auditor: 'Reads everything except mail, including the audit log',
}
