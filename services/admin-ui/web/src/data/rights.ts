import type { AdminRole } from '@posthorn/contracts/admin/roles'

/** Action that some roles may not do. The server decides; the pages hide the action. */
export type PageAction =
  | 'changeAccounts'
  | 'operateAccounts'
  | 'operateQueues'
  | 'cancelSubmissions'
  | 'readSettings'
  | 'managePeople'
  | 'readAudit'

const actionsOf: Readonly<Record<AdminRole, readonly PageAction[]>> = {
  owner: [
    'changeAccounts',
    'operateAccounts',
    'operateQueues',
    'cancelSubmissions',
    'readSettings',
    'managePeople',
    'readAudit',
  ],
  operator: [
    'changeAccounts',
    'operateAccounts',
    'operateQueues',
    'cancelSubmissions',
    'readSettings',
  ],
  support: ['operateAccounts', 'operateQueues'],
  auditor: ['readSettings', 'readAudit'],
}

/** True if a role may do an action of the pages. */
export function mayDo(role: AdminRole, action: PageAction): boolean {
  return actionsOf[role].includes(action)
}

/** Name and rights of each role, as the forms show the role. */
export const roleTexts: Readonly<Record<AdminRole, string>> = {
  owner: 'Everything, including people, keys and mail proxies',
  operator: 'Everything except people, keys and mail proxies',
  support: 'Accounts, outbox and deliveries; no settings and no tokens',
  auditor: 'Reads everything except mail, including the audit log',
}
