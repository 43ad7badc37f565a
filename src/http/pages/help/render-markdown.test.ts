import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderMarkdown, titleOf } from './render-markdown.ts'

const show = (page: string) => renderMarkdown(page, (target) => `to:${target}`)

test('renderMarkdown() renders what the documentation uses', () => {
  assert.equal(show('# A `b` (c)'), '<h1 id="a-b-c">A <code>b</code> (c)</h1>')
  assert.equal(
    show('one\ntwo *three*\n\n**four `*`**'),
    '<p>one\ntwo <em>three</em></p>\n<p><strong>four <code>*</code></strong></p>',
  )
  assert.equal(show('[a [b]](c.md#d)'), '<p><a href="to:c.md#d">a [b]</a></p>')
  assert.equal(show('![a](b.png)'), '<p><img src="to:b.png" alt="a" loading="lazy"></p>')
  assert.equal(show('```sh\na < b\n```'), '<pre tabindex="0"><code>a &lt; b</code></pre>')
  assert.equal(show('<!-- note -->\ntext'), '<p>text</p>')
  assert.equal(
    show('| a | b |\n|---|---|\n| `x \\| y` | 2 * 3 * 4 |'),
    '<div class="table" tabindex="0"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td><code>x | y</code></td><td>2 * 3 * 4</td></tr></tbody></table></div>',
  )
})

test('renderMarkdown() renders lists within lists, and code within items', () => {
  assert.equal(
    show('- a\n  more\n  - b\n- c\n\nafter'),
    '<ul><li>a\nmore\n<ul><li>b</li></ul></li>\n<li>c</li></ul>\n<p>after</p>',
  )
  assert.equal(
    show('1. a\n\n   ```\n   code\n   ```\n2. b'),
    '<ol><li>a\n<pre tabindex="0"><code>code</code></pre></li>\n<li>b</li></ol>',
  )
})

test('renderMarkdown() lets no HTML through, and leaves links out that resolve to nothing', () => {
  const page = '<script>a</script> [x](javascript:a) `<b>` "q"\n\n| <i> |\n|---|\n| <u> |'
  const html = renderMarkdown(page, () => undefined)
  assert.ok(!/<(?:script|b|i|u)>|javascript/.test(html), html)
  assert.match(html, /&lt;script&gt;a&lt;\/script&gt; x <code>&lt;b&gt;<\/code> &quot;q&quot;/)
  const quoted = renderMarkdown('[x](a"b)', (target) => target)
  assert.equal(quoted, '<p><a href="a&quot;b">x</a></p>')
})

test('titleOf() takes the first heading', () => {
  assert.equal(titleOf('text\n# The `a`\n# b'), 'The a')
})
