export type { RenderContext, TemplateContent, TemplateFormat, TemplateProblem } from './content.ts'
export { Renderer, type RendererOptions, type RenderHow } from './renderer.ts'
