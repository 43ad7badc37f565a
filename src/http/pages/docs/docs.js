const { base } = document.querySelector('#docs').dataset
const under = (path) => new URL(`${base}/${path}`, location.href).href

window.SwaggerUIBundle({
  dom_id: '#docs',
  url: under('../openapi.json'),
  oauth2RedirectUrl: under('static/oauth2-redirect.html'),
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  persistAuthorization: false,
})
