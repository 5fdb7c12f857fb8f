import type { RightsInput } from '@posthorn/contracts/admin/input-rights'
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
  readRoutes: 'listWebhookRoutes',
  changeRoutes: 'createWebhookRoute',
  readTemplates: 'listTemplates',
  changeTemplates: 'createTemplate',
  createOperatorTokens: 'createOperatorToken',
  testTargets: 'testWebhookTarget',
  readWorkers: 'listWorkers',
  readKeys: 'listKeys',
  releaseWorkers: 'releaseWorker',
  tryRoutes: 'testWebhookRoute',
  readOAuth2Apps: 'listOAuth2Apps',
  changeOAuth2Apps: 'createOAuth2App',
  readGateways: 'listGateways',
  changeGateways: 'createGateway',
  readBlocklists: 'listBlocklists',
  changeBlocklists: 'addToBlocklist',
  readExports: 'listAllExports',
  changeExports: 'createExport',
  readQueues: 'getQueue',
  changeQueues: 'updateQueue',
  changeMailProxies: 'updateSettings',
  changeMessages: 'updateMessage',
  changeMailboxes: 'updateMailbox',
} as const

/** Input of requests that need more rights than other requests of their operation, by action. */
const inputOf: Partial<Record<keyof typeof operationOf, RightsInput>> = {
  changeMailProxies: { body: { imapProxyServerEnabled: true, smtpServerEnabled: true } },
}

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
  if (action in operationOf) {
    const called = action as keyof typeof operationOf
    return mayCall(role, operationOf[called], inputOf[called])
  }
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
