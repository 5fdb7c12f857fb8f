import { fieldError, validationError, type TemplateContent } from '@posthorn/contracts'
import type { Renderer, TemplateFormat } from '@posthorn/templates'

/** @throws AppError `invalid` with a field for each text that no values could be filled into. */
export async function checkContent(
  renderer: Renderer,
  content: TemplateContent,
  format: TemplateFormat,
): Promise<void> {
  const problems = await renderer.check(content, format)
  if (problems.length === 0) return
  throw validationError(
    problems.map(({ field, line, reason }) =>
      fieldError(
        `content.${field}`,
        `is not a template${line === undefined ? '' : ` (line ${line})`}: ${reason}`,
      ),
    ),
  )
}
