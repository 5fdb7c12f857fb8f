import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { contentPolicy } from './content-policy.ts'
import { deadLinks } from './dead-links.ts'
import { describeFiles } from './describe-files.ts'
import { readHtmlPage } from './html-page.ts'
import { llmsTxt } from './llms-txt.ts'
import { type Page, plainMarkdown } from './page.ts'
import { readPages } from './read-pages.ts'
import { rewriteLinks } from './rewrite-links.ts'
import { sideBar } from './side-bar.ts'
import { manifestName, type SiteManifest } from './site-manifest.ts'
import { sitePackages } from './site-packages.ts'

/** URL path on the host below which api-gateway serves the documentation site. */
const base = '/docs/'
/** URL paths of api-gateway outside of the documentation site to which pages link. */
const outside = ['/docs/try/', '/openapi.json']
const project = resolve(import.meta.dirname, '../../site')

export interface SiteBuildOptions {
  /** Environment variables of the documentation site generator. */
  env: NodeJS.ProcessEnv
}

/**
 * Builds the documentation site into `folder`, which is replaced: the files below `files`, beside
 * their description. The packages of the site generator have to be installed. Equal sources give
 * equal bytes.
 *
 * @throws Error if a page has no front matter, a link is dead, or the generator fails
 */
export async function buildSite(folder: string, { env }: SiteBuildOptions): Promise<void> {
  const [stage, built] = [`${folder}.stage`, `${folder}.new`]
  for (const path of [stage, built]) rmSync(path, { recursive: true, force: true })
  const { home, pages } = readPages()
  stagePages(stage, [home, ...pages])
  const entries = [...sideBar(pages), { label: 'Try the API', link: '/try/' }]
  write(join(stage, 'sidebar.json'), JSON.stringify(entries))
  const out = join(built, 'files')
  await runAstro({ ...env, DOCS_STAGE: stage, DOCS_OUT: out })
  for (const page of [home, ...pages]) write(join(out, page.path), plainMarkdown(page))
  write(join(out, 'llms.txt'), llmsTxt(home, pages, base))
  const manifest = await describeSite(out)
  write(join(built, manifestName), JSON.stringify(manifest))
  rmSync(folder, { recursive: true, force: true })
  renameSync(built, folder)
  rmSync(stage, { recursive: true })
}

function stagePages(stage: string, pages: readonly Page[]): void {
  for (const { path, title, description, body } of pages) {
    const frontMatter = `---\n${JSON.stringify({ title, description })}\n---\n`
    write(join(stage, 'pages', path), frontMatter + rewriteLinks(body, path, base))
  }
}

async function runAstro(env: NodeJS.ProcessEnv): Promise<void> {
  const program = join(project, 'node_modules/astro/bin/astro.mjs')
  const child = spawn(process.execPath, [program, 'build', '--silent'], {
    cwd: project,
    stdio: 'inherit',
    env: { ...env, ASTRO_TELEMETRY_DISABLED: '1' },
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error('the site generator failed')
}

/** Checks the built files of the documentation site. Writes their compressed variants. */
async function describeSite(out: string): Promise<SiteManifest> {
  const paths = globSync('**/*', { cwd: out }).filter((path) => statSync(join(out, path)).isFile())
  const pages = new Map(
    paths
      .filter((path) => path.endsWith('.html'))
      .map((path) => [path, readHtmlPage(readFileSync(join(out, path), 'utf8'))]),
  )
  const dead = deadLinks({ pages, files: new Set(paths) }, base, outside)
  if (dead.length > 0) throw new Error(`dead links:\n${dead.join('\n')}`)
  return {
    policy: contentPolicy(pages),
    files: await describeFiles(out, paths),
    packages: sitePackages(project),
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
