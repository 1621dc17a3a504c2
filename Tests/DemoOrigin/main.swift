print("demo-origin")
