import { type TemplateEntry, useTemplates } from '../../data/lists/templates.ts'
import { useRights } from '../../data/session.ts'
import { CopyBox } from '../../kit/content/copy-box.tsx'
import { Filters, PageBody } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { ButtonRow, buttonClass } from '../../kit/controls/button.tsx'
import { QueryTextField } from '../../kit/forms/query-fields.tsx'
import type { Column } from '../../kit/table/data-table.tsx'
import { PagedList } from '../../kit/table/entry-list.tsx'
import { AppLink, usePageQuery } from '../../routing/navigation.tsx'
import { pageOf } from '../../routing/query-text.ts'

const pageSize = 50

/** Page that lists the templates of an account, or the templates for all accounts. */
export function TemplatesPage() {
  const [query] = usePageQuery()
  const account = query['account'] ?? ''
  const load = useTemplates({ page: pageOf(query), pageSize, ...(account !== '' && { account }) })
  return (
    <PageBody lead="A template is a subject and texts with placeholders, which submissions fill in.">
      <CreateLink account={account} />
      <Filters>
        <QueryTextField
          label="Account"
          name="account"
          isSearch
          hint="Empty: templates for all accounts."
        />
      </Filters>
      <PagedList
        load={load}
        rows={({ templates }) => templates}
        empty={
          <>
            <p>
              {account === ''
                ? 'Templates for all accounts'
                : `Templates of the account ${account}`}{' '}
              appear here. This call creates one:
            </p>
            <CopyBox text={createCall} label="Copy the command" />
          </>
        }
        label="Templates"
        columns={columns}
        keyOf={({ id }: TemplateEntry) => id}
        noun="template"
      />
    </PageBody>
  )
}

function CreateLink({ account }: { account: string }) {
  const may = useRights()
  if (!may('changeTemplates')) return null
  return (
    <ButtonRow>
      <AppLink to="/create-template" query={{ account }} className={buttonClass('primary')}>
        Create a template
      </AppLink>
    </ButtonRow>
  )
}

const createCall = [
  'curl -X POST "$POSTHORN_URL/v1/templates/template" \\',
  '  -H "Authorization: Bearer $POSTHORN_TOKEN" -H "Content-Type: application/json" \\',
  `  -d '{"account":null,"name":"welcome",`,
  `       "content":{"subject":"Welcome","text":"Hello {{params.name}}"}}'`,
].join('\n')

const columns: readonly Column<TemplateEntry>[] = [
  {
    title: 'Name',
    isWide: true,
    cell: ({ id, name }) => (
      <AppLink to="/templates/$template" params={{ template: id }}>
        {name}
      </AppLink>
    ),
  },
  { title: 'Description', isWide: true, cell: ({ description }) => description || '–' },
  { title: 'Format', cell: ({ format }) => (format === 'html' ? 'HTML' : 'Markdown') },
  { title: 'Id', cell: ({ id }) => <code>{id}</code> },
  { title: 'Changed', cell: ({ updated }) => <Time value={updated} /> },
]
