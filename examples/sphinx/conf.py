project = "Field notes"
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence"]
html_theme = "alabaster"
html_baseurl = "https://example.org/manual/"
html_static_path = ["_static"]
html_css_files = ["custom.css"]
exclude_patterns = ["_build"]
