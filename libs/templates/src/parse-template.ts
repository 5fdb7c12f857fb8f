import Handlebars from 'handlebars'

/** Name of the template helper that escapes values inserted into markdown, see `escapeMarkdown`. */
export const markdownHelper = 'escapeMarkdown'

/** Error for a construct of a message template that is not allowed. */
export class TemplateError extends Error {
  readonly line: number | undefined

  constructor(reason: string, line?: number) {
    super(reason)
    this.line = line
  }
}

/**
 * Parses a message template. Rejects partials and decorators, which refer to code outside of the
 * template.
 */
export function parseTemplate(source: string, { markdown }: { markdown: boolean }) {
  const tree = Handlebars.parse(source)
  new SelfContained().accept(tree)
  if (markdown) new MarkdownValues().accept(tree)
  return tree
}

class SelfContained extends Handlebars.Visitor {
  override PartialStatement(node: hbs.AST.PartialStatement): void {
    throw new TemplateError('partials are not available', node.loc.start.line)
  }
  override PartialBlockStatement(node: hbs.AST.PartialBlockStatement): void {
    throw new TemplateError('partials are not available', node.loc.start.line)
  }
  override Decorator(node: hbs.AST.Decorator): void {
    throw new TemplateError('decorators are not available', node.loc.start.line)
  }
  override DecoratorBlock(node: hbs.AST.DecoratorBlock): void {
    throw new TemplateError('decorators are not available', node.loc.start.line)
  }
}

/**
 * Visitor that replaces `{{x}}` by `{{{escapeMarkdown x}}}` in a template, because HTML-safe text
 * may still be markdown syntax.
 */
class MarkdownValues extends Handlebars.Visitor {
  override MustacheStatement(node: hbs.AST.MustacheStatement): void {
    if (!node.escaped) return
    const { path, params, hash, loc } = node
    const call: hbs.AST.SubExpression = {
      type: 'SubExpression',
      path: path as hbs.AST.PathExpression,
      params,
      hash,
      loc,
    }
    const isCall = params.length > 0 || (hash as hbs.AST.Hash | undefined) !== undefined
    node.params = [isCall ? call : path]
    node.path = helperPath(loc)
    node.escaped = false
    Reflect.deleteProperty(node, 'hash')
  }
}

function helperPath(loc: hbs.AST.SourceLocation): hbs.AST.PathExpression {
  return {
    type: 'PathExpression',
    data: false,
    depth: 0,
    parts: [markdownHelper],
    original: markdownHelper,
    loc,
  }
}
