import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import starlight from '@astrojs/starlight'
import { defineConfig, passthroughImageService } from 'astro/config'

// `make docs` sets both variables: the folder with the documentation pages and the side bar, and
// the output folder.
const { DOCS_STAGE: stage, DOCS_OUT: outDir } = process.env
if (!stage || !outDir) throw new Error('start the build with `make docs`')

/**
 * Removes the time limit of the syntax highlighter per line of code: a busy machine would give
 * other colours.
 */
const withoutTimeLimit = {
  name: 'without-time-limit',
  preprocess(_code, options) {
    options.tokenizeTimeLimit = 0
  },
}

export default defineConfig({
  base: '/docs',
  trailingSlash: 'always',
  outDir,
  cacheDir: join(stage, 'cache'),
  // A stylesheet inside a documentation page would need a hash in the content security policy.
  build: { inlineStylesheets: 'never' },
  // The documentation site has no images to resize.
  image: { service: passthroughImageService() },
  integrations: [
    starlight({
      title: 'Posthorn',
      description: 'Mailboxes of customers through one JSON REST API.',
      favicon: '/favicon.svg',
      head: [{ tag: 'script', attrs: { src: '/docs/focusable.js', defer: true } }],
      customCss: ['./src/theme.css'],
      expressiveCode: { shiki: { transformers: [withoutTimeLimit] } },
      components: { EditLink: './src/markdown-link.astro' },
      markdown: { processedDirs: [join(stage, 'pages')] },
      sidebar: JSON.parse(readFileSync(join(stage, 'sidebar.json'), 'utf8')),
    }),
  ],
})
