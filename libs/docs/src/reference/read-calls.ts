/** Calls of an API operation that a reference page shows, in all languages. */
export interface ShownCalls {
  operationId: string
  sh: string
  ts: string
  py: string
}

/** Reads the example calls of all API operations from the Markdown of the reference pages. */
export function readCalls(pages: ReadonlyMap<string, string>): ShownCalls[] {
  return [...pages.values()].flatMap((text) =>
    text.split(/^## /m).flatMap((section) => {
      const [, operationId] = /^`[A-Z]+ \/\S+`, `(\w+)` in the client\./m.exec(section) ?? []
      if (operationId === undefined) return []
      const [sh, ts, py] = (['sh', 'ts', 'py'] as const).map((language) =>
        codeIn(section, language),
      )
      if (sh === undefined || ts === undefined || py === undefined)
        throw new Error(`the section of ${operationId} lacks a call`)
      return [{ operationId, sh, ts, py }]
    }),
  )
}

function codeIn(section: string, language: string): string | undefined {
  return new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'm').exec(section)?.[1]
}
