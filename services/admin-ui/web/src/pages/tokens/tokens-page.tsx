import { useRights } from '../../data/session.ts'
import { type TokenRecord, tokenActions, tokensKey, useTokens } from '../../data/tokens.ts'
import { useAction } from '../../data/use-load.ts'
import { Filters, PageBody, Panel } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { ButtonRow, buttonClass } from '../../kit/controls/button.tsx'
import { QueryTextField } from '../../kit/forms/query-fields.tsx'
import { ConfirmButton } from '../../kit/overlays/confirm-button.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import type { Column } from '../../kit/table/data-table.tsx'
import { PagedList } from '../../kit/table/entry-list.tsx'
import { AppLink, usePageQuery } from '../../routing/navigation.tsx'
import { pageOf } from '../../routing/query-text.ts'
import { OperatorTokenForm } from './operator-token-form.tsx'

/** Page that lists access tokens of the API, of mail clients and of SMTP. */
export function TokensPage() {
  const may = useRights()
  const [query] = usePageQuery()
  const load = useTokens(pageOf(query), query['account'])
  return (
    <PageBody>
      {may('changeTokens') && (
        <ButtonRow>
          <AppLink
            to="/create-token"
            query={{ account: query['account'] ?? '' }}
            className={buttonClass('primary')}
          >
            Create a token
          </AppLink>
        </ButtonRow>
      )}
      {may('createOperatorTokens') && (
        <Panel title="Create an operator token">
          <OperatorTokenForm />
        </Panel>
      )}
      <Filters>
        <QueryTextField label="Account" name="account" isSearch />
      </Filters>
      <PagedList
        load={load}
        rows={({ tokens }) => tokens}
        empty={<p>Tokens appear here. The value of a token is shown once, after its creation.</p>}
        label="Tokens"
        columns={columns}
        keyOf={({ id }: TokenRecord) => id}
        noun="token"
      />
    </PageBody>
  )
}

const columns: readonly Column<TokenRecord>[] = [
  {
    title: 'Description',
    isWide: true,
    cell: ({ description, id }) => description ?? `${id.slice(0, 12)}…`,
  },
  { title: 'Account', cell: ({ account }) => account ?? 'all' },
  { title: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
  { title: 'Rights', isWide: true, cell: ({ permissions }) => rightsText(permissions) },
  { title: 'Created', cell: ({ created }) => <Time value={created} /> },
  { title: 'Expires', cell: ({ expires }) => (expires ? <Time value={expires} /> : 'never') },
  {
    title: 'Last use',
    cell: ({ access }) => (access.time ? <Time value={access.time} /> : 'never'),
  },
  { title: 'Actions', cell: (token) => <DeleteButton token={token} /> },
]

function rightsText(permissions: TokenRecord['permissions']): string {
  if (!permissions) return 'everything'
  const { actions, groups } = permissions
  return `${actions?.join(', ') ?? 'all actions'} in ${groups?.join(', ') ?? 'all groups'}`
}

function DeleteButton({ token: { id, description } }: { token: TokenRecord }) {
  const may = useRights()
  const remove = useAction(tokenActions.remove, { refresh: [tokensKey] })
  if (!may('changeTokens')) return '–'
  return (
    <>
      <ConfirmButton
        action="Delete"
        question={<p>Programs with the token {description ?? id} lose their access.</p>}
        onConfirm={() => remove.run(id)}
        isPending={remove.isRunning}
      />
      {remove.error && <ErrorBox error={remove.error} />}
    </>
  )
}
