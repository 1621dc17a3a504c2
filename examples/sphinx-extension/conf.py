project = "Field notes"
extensions = ["imgbake"]
html_theme = "alabaster"
html_baseurl = "https://example.org/manual/"
exclude_patterns = ["_build"]
# The example's images come from a server on this machine.
imgbake_config = {"fetch": {"allow-private-network": True}}
