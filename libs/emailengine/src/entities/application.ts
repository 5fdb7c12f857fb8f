import { OAuth2AppRegistration } from '@posthorn/contracts/schemas/oauth2-app'
import type { StoredObject } from '../decode.ts'
import type { Entry } from '../entry.ts'
import { fitInput } from './fit-input.ts'
import { compact, isUnset, toBoolean, toList, withoutMembers } from './values.ts'

/**
 * Members that describe the state of an OAuth2 application of EmailEngine. Posthorn determines this
 * state itself.
 */
const stateMembers = [
  'accessToken',
  'accounts',
  'authFlag',
  'created',
  'expires',
  'id',
  'lastError',
  'meta',
  'pubSubError',
  'pubSubIamPolicy',
  'pubSubSubscription',
  'pubSubTopic',
  'tenant',
  'updated',
]

const essential = {
  valid:
    /^(?:name|provider|enabled|baseScopes|authMethod|authority|cloud|client\w+|service\w+|externalAccount|pubSubApp|skipScopes)(?:\.|$)/,
}

/**
 * Maps an OAuth2 application of EmailEngine to the body of `createOAuth2App`. The input contains no
 * id: accounts name the application in `oauth2.provider`, and other applications in `pubSubApp`.
 */
export function mapApplication(id: string, record: StoredObject): Entry<OAuth2AppRegistration> {
  const { name, enabled, authority, tenant, googleWorkspaceAccounts } = record
  const isRestricted = toBoolean(googleWorkspaceAccounts) === true
  const members = withoutMembers(record, [...stateMembers, 'googleWorkspaceAccounts'])
  const set = Object.entries(members).filter(([, value]) => value !== false)
  const lists = ['extraScopes', 'skipScopes'].map((list) => [list, toList(record[list])] as const)
  const candidate = compact({
    ...Object.fromEntries(set),
    ...Object.fromEntries(lists),
    includeInListing: toBoolean(record['includeInListing']),
    name: isUnset(name) ? id : name,
    enabled: toBoolean(enabled) ?? false,
    authority: isUnset(authority) ? (isUnset(tenant) ? undefined : tenant) : authority,
  })
  return fitInput(
    { kind: 'application', id, schema: OAuth2AppRegistration, essential },
    {
      candidate,
      changes: isUnset(name) ? ['name: set to the id'] : [],
      omitted: isRestricted
        ? ['googleWorkspaceAccounts: users outside of Google Workspace are not refused']
        : [],
    },
  )
}
