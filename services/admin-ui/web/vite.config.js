import { resolve } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { checkBudgets } from './build/check-budgets.js'
import { compressAssets } from './build/compress-assets.js'
import { contractLists } from './build/contract-lists.js'
import { listPackages } from './build/list-packages.js'

/**
 * True for modules in the script that all pages share. Each script is a request, so few scripts
 * keep the first view fast. The libraries for charts, QR codes, schemas and editors belong to the
 * scripts of the pages that use them. The frame of an editor is too small for a script of its own.
 */
const sharedModules = (id) =>
  !/uplot|uqr|qr-code|typebox|@codemirror|@lezer|@marijn|style-mod|w3c-keyname|crelt/.test(id) &&
  /rolldown\/runtime|node_modules|\/web\/src\/(?:kit|data|routing)\/|code-editor|editor\.module/.test(
    id,
  )

const outDir = resolve(import.meta.dirname, '../../../.local/admin-ui')

export default defineConfig({
  base: '/admin/',
  plugins: [react(), contractLists(), compressAssets(), checkBudgets(), listPackages()],
  build: {
    outDir,
    emptyOutDir: true,
    manifest: 'manifest.json',
    // All supported browsers know `light-dark()`, so that each color is defined in one place.
    target: ['chrome123', 'firefox121', 'safari17.5'],
    // The polyfill for module preloads would be an inline script, and assets inside of scripts
    // would be data URLs.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // Vite does not warn about large files, because the plugin for budgets measures the compressed
    // sizes.
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'shared', test: sharedModules }] } },
    },
  },
})
