export type { RenderContext, TemplateContent, TemplateFormat, TemplateProblem } from './content.ts'
export { Renderer, type RendererOptions, type RenderOptions } from './renderer.ts'
