import type { TokenOperation } from '@posthorn/contracts/admin/token-operations'
import { mayCallOperation, permitsProxy, type TokenRights } from '@posthorn/contracts/token-rights'
import type { RefObject } from 'react'
import css from './tokens.module.css'

export interface PermittedOperationsProps {
  token: TokenRights
  operations: readonly TokenOperation[]
  /**
   * Element of the list of permitted operations. The element can take the focus when a focused
   * button is removed.
   */
  sectionRef?: RefObject<HTMLElement | null>
}

/**
 * List of the operations that a token may call. The server decides with the same function,
 * `mayCallOperation`.
 */
export function PermittedOperations(props: PermittedOperationsProps) {
  const { token, operations, sectionRef } = props
  const permitted = operations.filter((operation) => mayCallOperation(token, operation))
  const proxies = (['smtp', 'imap-proxy'] as const).filter((scope) => token.scopes.includes(scope))
  return (
    <section
      aria-label="Permitted operations"
      className={css['permitted']}
      {...(sectionRef && { ref: sectionRef, tabIndex: -1 })}
    >
      <div role="status">
        <p>
          The token may call {permitted.length} of {operations.length} operations
          {token.account !== null && `, for the account ${token.account} only`}.
        </p>
        {proxies.map((scope) => (
          <p key={scope}>
            {proxyNames[scope]}:{' '}
            {permitsProxy(token.permissions, scope) ? 'permitted' : proxyNeeds[scope]}.
          </p>
        ))}
      </div>
      {permitted.length > 0 && (
        <ul className={css['operations']} tabIndex={0} aria-label="Operations">
          {permitted.map(({ id, method, path, summary }) => (
            <li key={id}>
              {summary}{' '}
              <code>
                {method.toUpperCase()} {path}
              </code>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const proxyNames = { smtp: 'SMTP proxy', 'imap-proxy': 'IMAP proxy' } as const

/** Rights that tokens need for the mail proxies. */
const proxyNeeds = {
  smtp: 'not permitted, needs Submit: send',
  'imap-proxy':
    'not permitted, needs read, write and destructive of Message, and write and destructive of Mailbox',
} as const
