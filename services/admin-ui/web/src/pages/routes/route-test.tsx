import { useRef, useState } from 'react'
import { readJsonObject } from '../../data/json-object.ts'
import { useAction } from '../../data/use-load.ts'
import {
  readPayload,
  routeActions,
  type RouteTestRun,
  useRecentDeliveries,
} from '../../data/webhooks/webhook-routes.ts'
import { CodeEditor } from '../../editor/code-editor.tsx'
import { Columns, Facts, Filters, Panel } from '../../kit/content/panel.tsx'
import { Button } from '../../kit/controls/button.tsx'
import { SelectField } from '../../kit/controls/select-field.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import { usePageQuery } from '../../routing/navigation.tsx'
import { contentOf, type FunctionSources } from './route-body.ts'
import {
  cpuText,
  deliveryLabel,
  eventNames,
  eventOf,
  examplePayload,
  payloadText,
  runText,
} from './test-payloads.ts'

/**
 * Panel that runs the functions of a webhook route with a payload: the example of an event, or the
 * payload of a recent delivery. Nothing is sent or stored.
 */
export function RouteTest({ sources }: { sources: FunctionSources }) {
  const [query] = usePageQuery()
  const [payload, setPayload] = useState(() => examplePayload(eventOf(query['event'])))
  const test = useAction(async () =>
    routeActions.test({
      content: contentOf(sources),
      payload: readJsonObject(payload, 'The payload'),
    }),
  )
  return (
    <Panel title="Test">
      <p>The functions run with this payload as they are in the editors. Nothing is sent.</p>
      <PayloadChoice onPayload={setPayload} />
      <Columns>
        <CodeEditor label="Payload" language="json" value={payload} onChange={setPayload} />
        <CodeEditor
          label="Delivered body"
          language="json"
          value={test.result?.payload === undefined ? '' : payloadText(test.result.payload)}
          hint="Empty until the test has run, and if nothing is delivered."
        />
      </Columns>
      <div>
        <Button kind="primary" onPress={() => test.run(undefined)} isPending={test.isRunning}>
          Run the test
        </Button>
      </div>
      {test.error && <ErrorBox error={test.error} />}
      <div role="status">{test.result && <TestResult run={test.result} />}</div>
    </Panel>
  )
}

function PayloadChoice({ onPayload }: { onPayload: (payload: string) => void }) {
  const [query, change] = usePageQuery()
  const event = eventOf(query['event'])
  const [chosen, setChosen] = useState('')
  const recent = useRecentDeliveries(event)
  // A payload that arrives late must not replace the payload of a later choice.
  const latest = useRef('')
  const read = useAction(readPayload, {
    onDone: (payload, delivery) => {
      if (delivery === latest.current) onPayload(payloadText(payload))
    },
  })
  const mark = (delivery: string) => {
    latest.current = delivery
    setChosen(delivery)
  }
  const choose = (delivery: string) => {
    mark(delivery)
    read.reset()
    if (delivery === '') onPayload(examplePayload(event))
    else read.run(delivery)
  }
  const chooseEvent = (name: string) => {
    change({ event: name })
    mark('')
    read.reset()
    onPayload(examplePayload(name))
  }
  return (
    <>
      <Filters>
        <SelectField
          label="Event"
          options={eventNames.map((value) => ({ value, label: value }))}
          value={event}
          onChange={chooseEvent}
        />
        <SelectField
          label="Payload of"
          options={[
            { value: '', label: 'Built-in example' },
            ...(recent.data ?? []).map((each) => ({ value: each.id, label: deliveryLabel(each) })),
          ]}
          value={chosen}
          onChange={choose}
        />
      </Filters>
      {recent.error && <ErrorBox error={recent.error} retry={recent.retry} />}
      {read.error && <ErrorBox error={read.error} />}
    </>
  )
}

function TestResult({ run }: { run: RouteTestRun }) {
  const { errors, logs, usedMs } = run
  return (
    <Facts
      rows={[
        ['Result', runText(run)],
        ['Errors', errors.map((error) => `${error.function}: ${error.message}`).join('\n')],
        ['Log', logs.length === 0 ? null : <pre key="log">{logs.join('\n')}</pre>],
        ['CPU time', cpuText(usedMs)],
      ]}
    />
  )
}
