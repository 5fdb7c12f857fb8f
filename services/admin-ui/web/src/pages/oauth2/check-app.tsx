import {
  type OAuth2AppCheck,
  oauth2AppActions,
  type OAuth2AppRecord,
  oauth2AppsKey,
} from '../../data/lists/oauth2-apps.ts'
import { useAction } from '../../data/use-load.ts'
import { Badge, type Tone } from '../../kit/content/badge.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { Form } from '../../kit/forms/form.tsx'
import { type Column, DataTable } from '../../kit/table/data-table.tsx'
import { hasSignIns } from './app-fields.ts'

type Step = OAuth2AppCheck['steps'][number]

/** Form that checks an OAuth2 application at its provider, and shows the result of each step. */
export function CheckApp({ app: { id, provider } }: { app: OAuth2AppRecord }) {
  const check = useAction(oauth2AppActions.check, { refresh: [oauth2AppsKey] })
  return (
    <>
      <Form
        submit="Check the application"
        isRunning={check.isRunning}
        error={check.error}
        onSubmit={({ account = '' }) => check.run({ app: id, account })}
      >
        <TextField
          label={hasSignIns(provider) ? 'Account id (optional)' : 'Mailbox address (optional)'}
          name="account"
          hint="With it, the check also requests an access token and reports the state of the mailbox."
        />
      </Form>
      {check.result && <Result check={check.result} />}
    </>
  )
}

function Result({ check: { ok, steps } }: { check: OAuth2AppCheck }) {
  return (
    <div role="status">
      <p>{ok ? 'No step of the check failed.' : 'The check failed.'}</p>
      <DataTable
        label="Steps of the check"
        rows={steps}
        columns={columns}
        keyOf={({ id }: Step) => id}
      />
    </div>
  )
}

const results: Readonly<Record<Step['status'], readonly [text: string, tone: Tone]>> = {
  ok: ['works', 'good'],
  fail: ['fails', 'bad'],
  skip: ['not checked', 'neutral'],
}

const columns: readonly Column<Step>[] = [
  { title: 'Step', isWide: true, cell: ({ label }) => label },
  { title: 'Result', cell: ({ status }) => <StepBadge status={status} /> },
  { title: 'Details', isWide: true, cell: ({ message }) => message ?? '–' },
  { title: 'Remedy', isWide: true, cell: ({ hint }) => hint ?? '–' },
]

function StepBadge({ status }: Pick<Step, 'status'>) {
  const [text, tone] = results[status]
  return <Badge tone={tone}>{text}</Badge>
}
