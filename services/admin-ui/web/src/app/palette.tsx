import { useDeferredValue, useState } from 'react'
import { useAccounts } from '../data/accounts.ts'
import { useRights } from '../data/session.ts'
import { SearchDialog } from '../kit/overlays/search-dialog.tsx'
import { useNavigate } from '../routing/navigation.tsx'
import { permittedPages } from './page-list.ts'
import { paletteResults } from './palette-results.ts'

/** Maximum number of accounts that the command palette shows. */
const maxAccounts = 8

export interface PaletteProps {
  onClose: () => void
  openHelp: () => void
  signOut: () => void
}

/** Command palette, which finds pages, actions and accounts. */
export function Palette({ onClose, openHelp, signOut }: PaletteProps) {
  const [text, setText] = useState('')
  const query = useDeferredValue(text.trim())
  const may = useRights()
  const navigate = useNavigate()
  const accounts = useAccounts({ query, pageSize: maxAccounts }, { enabled: query.length > 1 })
  const actions = [
    ...(may('changeAccounts') ? [{ id: 'add', label: 'Add an account' }] : []),
    ...(may('changeRoutes') ? [{ id: 'route', label: 'Create a route' }] : []),
    ...(may('changeTemplates') ? [{ id: 'template', label: 'Create a template' }] : []),
    { id: 'profile', label: 'Your profile' },
    { id: 'help', label: 'Keyboard shortcuts' },
    { id: 'sign-out', label: 'Sign out' },
  ]
  const results = paletteResults(text.trim(), {
    pages: permittedPages(may),
    actions,
    accounts: query.length > 1 ? (accounts.data?.accounts ?? []) : [],
  })
  const choose = (id: string) => {
    const [kind, ...rest] = id.split(':')
    const target = rest.join(':')
    onClose()
    if (kind === 'page') navigate({ to: target })
    else if (kind === 'account') navigate({ to: '/accounts/$account', params: { account: target } })
    else if (target === 'help') openHelp()
    else if (target === 'sign-out') signOut()
    else navigate({ to: actionPaths[target] ?? '/profile' })
  }
  return (
    <SearchDialog
      label="Find a page, an account or an action"
      isOpen
      onClose={onClose}
      text={text}
      onText={setText}
      results={results}
      onChoose={choose}
    />
  )
}

/** Pages that the actions of the command palette open, by id of the action. */
const actionPaths: Readonly<Record<string, string>> = {
  add: '/add-account',
  route: '/create-route',
  template: '/create-template',
}
