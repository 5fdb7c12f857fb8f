import { CodeEditor } from '../../editor/code-editor.tsx'
import type { Complete } from '../../editor/completion.ts'
import { Columns } from '../../kit/content/panel.tsx'
import { list as payloads } from 'virtual:payload-members'
import { completePayload } from './payload-completions.ts'
import type { FunctionSources } from './route-body.ts'

export interface RouteFunctionsProps {
  sources: FunctionSources
  /** Called with the sources after each change. Absent: the functions are only shown. */
  onSources?: (sources: FunctionSources) => void
}

/** Editors for the filter function and the map function of a webhook route. */
export function RouteFunctions({ sources, onSources }: RouteFunctionsProps) {
  const editor = (name: keyof FunctionSources) => ({
    language: 'javascript' as const,
    value: sources[name],
    complete,
    ...(onSources && { onChange: (text: string) => onSources({ ...sources, [name]: text }) }),
  })
  return (
    <Columns>
      <CodeEditor label="Filter function" hint={filterHint} {...editor('filter')} />
      <CodeEditor label="Map function" hint={mapHint} {...editor('map')} />
    </Columns>
  )
}

/** Finds members of the payloads of events for a function of a webhook route. */
const complete: Complete = (place) => completePayload(place, payloads)

const filterHint =
  'Body of a function with payload, logger and env. Events for which it returns true are delivered. Empty: all events.'
const mapHint =
  'Body of a function with payload, logger and env. It returns the body to deliver. Empty: the payload is unchanged.'
