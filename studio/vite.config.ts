import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The service that `npm run studio` asks; `npm start` runs one there. */
const service = process.env.WEIR_URL ?? 'http://127.0.0.1:8080'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  css: { modules: { localsConvention: 'camelCaseOnly' } },
  experimental: {
    // Files name each other by where they are: the service may be below a path of its host.
    renderBuiltUrl: (name, { hostType }) => (hostType === 'html' ? `/${name}` : { relative: true }),
  },
  build: {
    // Nothing is inlined: the policy of the page takes files only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The first start builds before people who did not ask how long it takes.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/docs', '/help', '/openapi.json', '/healthz'].map((path) => [path, service]),
    ),
  },
})
