import { join } from 'node:path'
import { docsSchema } from '@astrojs/starlight/schema'
import { defineCollection } from 'astro:content'
import { glob } from 'astro/loaders'
import { z } from 'astro/zod'

const base = join(process.env.DOCS_STAGE, 'pages')

export const collections = {
  docs: defineCollection({
    loader: glob({ base, pattern: '**/*.md' }),
    schema: docsSchema({ extend: z.object({ order: z.number().optional() }) }),
  }),
}
