import type { ReactNode } from 'react'
import { LinkTabs } from '../../kit/content/link-tabs.tsx'
import { PageBody } from '../../kit/content/panel.tsx'
import { usePathParameter } from '../../routing/navigation.tsx'

/** Sub-pages of an account, in their order. */
const tabs = [
  { title: 'Overview', to: '/accounts/$account' },
  { title: 'Mail', to: '/accounts/$account/mail' },
  { title: 'Settings', to: '/accounts/$account/settings' },
  { title: 'Mailboxes', to: '/accounts/$account/mailboxes' },
  { title: 'Protocol log', to: '/accounts/$account/log' },
]

/**
 * Frame of the sub-pages of an account, with links to all of them. The React key separates
 * accounts: data and results of one account never show on the page of another account.
 */
export function AccountFrame({ children }: { children: (account: string) => ReactNode }) {
  const account = usePathParameter('account')
  return (
    <PageBody key={account}>
      <LinkTabs label="Parts of the account" tabs={tabs} params={{ account }} />
      {children(account)}
    </PageBody>
  )
}
